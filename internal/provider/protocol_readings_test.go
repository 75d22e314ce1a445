package provider

import (
	"math/bits"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// protocolReadings returns a selection of readings. It covers every combination of the values of any two options.
func protocolReadings() (readings []emulator.Options) {
	for row := range uint(16) {
		// The parities of different subsets of the bits form an orthogonal array.
		is := func(columns uint) int { return bits.OnesCount(row&columns) % 2 }
		options := emulator.Options{
			StaleTokenStatus: []int{0, 401, 403, 500}[2*is(1)+is(2)],
			Answers:          emulator.Answers(is(4)), Updates: emulator.Updates(is(8)), Refusals: emulator.Refusals(is(5)),
			NameRequired: is(6) == 1, UpsertOnPut: is(9) == 1, ForgivingDeletes: is(10) == 1, TrimNames: is(12) == 1,
			Environments: map[string]string{emulator.DefaultKey: []string{"Customer", ""}[is(13)]},
		}
		if is(14) == 1 {
			options.Omit = []string{"team_id"}
		}
		readings = append(readings, options)
	}
	return readings
}
