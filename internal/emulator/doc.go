// Package emulator is the dashboard service, in memory, over real HTTP on a
// loopback address. Tests and examples run the provider against it.
//
// It is written from the service's contract alone and shares no code with the
// provider, so that one misreading of the contract cannot hide in both. Where
// the contract is silent, [Options] offers the readings that make a difference
// to a caller, and the emulator is stricter than a real service may be: a null,
// a field of the wrong type or a field that the operation does not have is
// refused by name. One reading is not offered: an update that clears what it
// does not name, under which nothing could be left unmanaged.
//
// [Fault] makes a call go wrong on demand, [Emulator.Calls] tells what reached
// the service, and [Environment] looks at and changes the groups behind the
// caller's back.
package emulator
