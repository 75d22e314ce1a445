package protocoltest

import (
	"fmt"
	"maps"
	"math/big"
	"reflect"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Object is a configuration or a state in plain Go: strings, bools, numbers, maps, slices, nil for null, and
// Unknown. Missing attributes are null.
type Object = map[string]any

// Unknown is an unknown value, which engines show as "(known after apply)".
var Unknown = struct{ unknown struct{} }{}

// With returns a copy of the object with changes. Each change is an object, or a name followed by a value.
// The value nil sets a member to null.
func With(object Object, changes ...any) Object {
	changed := maps.Clone(object)
	for len(changes) > 0 {
		if more, is := changes[0].(Object); is {
			maps.Copy(changed, more)
			changes = changes[1:]
			continue
		}
		changed[changes[0].(string)] = changes[1]
		changes = changes[2:]
	}
	return changed
}

// Value converts a plain Go value to a value of the type.
func Value(typ tftypes.Type, plain any) tftypes.Value {
	switch plain {
	case nil:
		return tftypes.NewValue(typ, nil)
	case Unknown:
		return tftypes.NewValue(typ, tftypes.UnknownValue)
	}
	switch typ := typ.(type) {
	case tftypes.Object:
		given, members := plain.(Object), make(map[string]tftypes.Value, len(typ.AttributeTypes))
		for name, member := range typ.AttributeTypes {
			members[name] = Value(member, given[name])
		}
		for name := range given {
			if typ.AttributeTypes[name] == nil {
				panic(fmt.Sprintf("there is no attribute %q", name))
			}
		}
		return tftypes.NewValue(typ, members)
	case tftypes.Map:
		elements := map[string]tftypes.Value{}
		for entry := reflect.ValueOf(plain).MapRange(); entry.Next(); {
			elements[entry.Key().String()] = Value(typ.ElementType, entry.Value().Interface())
		}
		return tftypes.NewValue(typ, elements)
	case tftypes.List:
		return tftypes.NewValue(typ, elements(typ.ElementType, plain))
	case tftypes.Set:
		return tftypes.NewValue(typ, elements(typ.ElementType, plain))
	}
	return tftypes.NewValue(typ, plain)
}

func elements(typ tftypes.Type, plain any) (all []tftypes.Value) {
	for list, i := reflect.ValueOf(plain), 0; i < list.Len(); i++ {
		all = append(all, Value(typ, list.Index(i).Interface()))
	}
	return all
}

// Plain is the inverse of Value. Numbers must be whole, and become int64.
func Plain(value tftypes.Value) any {
	switch typ := value.Type(); {
	case value.IsNull():
		return nil
	case !value.IsKnown():
		return Unknown
	case typ.Is(tftypes.String):
		return as[string](value)
	case typ.Is(tftypes.Bool):
		return as[bool](value)
	case typ.Is(tftypes.Number):
		whole, accuracy := as[*big.Float](value).Int64()
		if accuracy != big.Exact {
			panic("no attribute of a group has such a number: " + value.String())
		}
		return whole
	case typ.Is(tftypes.List{}), typ.Is(tftypes.Set{}):
		list := []any{}
		for _, element := range as[[]tftypes.Value](value) {
			list = append(list, Plain(element))
		}
		return list
	default:
		object := Object{}
		for name, member := range as[map[string]tftypes.Value](value) {
			object[name] = Plain(member)
		}
		return object
	}
}

func as[T any](value tftypes.Value) (converted T) {
	if err := value.As(&converted); err != nil {
		panic(err)
	}
	return converted
}

func members(value tftypes.Value) Object {
	object, _ := Plain(value).(Object)
	return object
}

// Encode encodes a value as the protocol transmits it.
func (p *Provider) Encode(value tftypes.Value) *tfprotov6.DynamicValue {
	p.T.Helper()
	encoded, err := tfprotov6.NewDynamicValue(value.Type(), value)
	p.Must(err)
	return &encoded
}

// Decode is the inverse of Encode. Without an encoded value, the result is null.
func (p *Provider) Decode(typ tftypes.Type, encoded *tfprotov6.DynamicValue) tftypes.Value {
	p.T.Helper()
	if encoded == nil {
		return tftypes.NewValue(typ, nil)
	}
	value, err := encoded.Unmarshal(typ)
	p.Must(err)
	return value
}

// proposedState returns the new state that an engine proposes: the configured values, and the prior values of
// computed attributes that are not configured.
func proposedState(block *tfprotov6.SchemaBlock, prior, config Object) Object {
	proposed := maps.Clone(config)
	for _, attribute := range block.Attributes {
		if attribute.Computed && config[attribute.Name] == nil {
			proposed[attribute.Name] = prior[attribute.Name]
		}
	}
	return proposed
}

// planFaults returns an engine's objections to a plan. A configured attribute must be planned with its
// configured or its prior value. An attribute that is neither configured nor computed must be null.
func planFaults(block *tfprotov6.SchemaBlock, prior, config, planned Object) (faults []string) {
	for _, attribute := range block.Attributes {
		was, wanted, is := prior[attribute.Name], config[attribute.Name], planned[attribute.Name]
		switch {
		case reflect.DeepEqual(is, wanted):
		case wanted != nil && was != nil && reflect.DeepEqual(is, was):
		case wanted == nil && attribute.Computed:
		default:
			faults = append(faults, fmt.Sprintf("%s is configured as %v and planned as %v", attribute.Name, wanted, is))
		}
	}
	return faults
}

// wantKept checks that a later value keeps the promises of a plan: values that were known are the same.
func (p *Provider) wantKept(fault string, planned, later tftypes.Value) {
	p.T.Helper()
	promised, err := tftypes.Transform(planned, func(
		at *tftypes.AttributePath, value tftypes.Value,
	) (tftypes.Value, error) {
		if value.IsKnown() {
			return value, nil
		}
		now, _, err := tftypes.WalkAttributePath(later, at)
		value, _ = now.(tftypes.Value)
		return value, err
	})
	if err != nil || !promised.Equal(later) {
		p.T.Errorf("an engine reports %s: %v %s", fault, err, changes(planned, later))
	}
}

// changes lists how attributes differ.
func changes(before, after tftypes.Value) (list string) {
	was, is := members(before), members(after)
	for name := range was {
		if !reflect.DeepEqual(was[name], is[name]) {
			list += fmt.Sprintf("%s was %v and is %v; ", name, was[name], is[name])
		}
	}
	return list
}
