package api

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// neverShown are the fields of a request that no response shows (interface section 2.2), and notOfGroup those that are
// no content of a group.
var neverShown, notOfGroup = []string{"Mapping"}, []string{"UserGroupID"}

// inResponse has the name and a value of each field of UserGroup in a response.
var inResponse = map[string][2]string{
	"TeamID": {"team_id", "1"}, "Token": {"token", `"t"`}, "Name": {"name", `"n"`}, "ProvidedID": {"provided_id", `"p"`},
	"Properties": {"properties", `{"a":1}`}, "EnvironmentTag": {"api_environment_tag", `"Testing"`},
}

// samples returns two values of a type that differ.
func samples(t *testing.T, of reflect.Type) (one, other reflect.Value) {
	t.Helper()
	switch reflect.Zero(of).Interface().(type) {
	case *string:
		return reflect.ValueOf(new("one")), reflect.ValueOf(new("other"))
	case string:
		return reflect.ValueOf("1"), reflect.ValueOf("2")
	case Secret:
		return reflect.ValueOf(NewSecret("one")), reflect.ValueOf(NewSecret("other"))
	case Properties:
		return reflect.ValueOf(properties(`{"a":1}`)), reflect.ValueOf(properties(`{"a":2}`))
	}
	t.Fatalf("there are no samples of %s", of)
	return one, other
}

// TestEveryFieldIsCompared names the places where a field of a group is forgotten. A field that is not compared breaks
// promises 2 and 3: another group would be adopted, or a group that somebody has taken would be deleted.
func TestEveryFieldIsCompared(t *testing.T) {
	t.Parallel()
	requests, groups := reflect.TypeFor[GroupRequest](), reflect.TypeFor[UserGroup]()
	for field := range requests.Fields() {
		if slices.Contains(notOfGroup, field.Name) {
			continue
		}
		if _, isShown := groups.FieldByName(field.Name); !isShown {
			failIf(t, !slices.Contains(neverShown, field.Name), "%s is neither in UserGroup nor in neverShown", field.Name)
			continue
		}
		one, other := samples(t, field.Type)
		var request GroupRequest
		var same, different UserGroup
		reflect.ValueOf(&request).Elem().FieldByName(field.Name).Set(one)
		reflect.ValueOf(&same).Elem().FieldByName(field.Name).Set(one)
		reflect.ValueOf(&different).Elem().FieldByName(field.Name).Set(other)
		isZero := func(group UserGroup) bool { return reflect.ValueOf(group).FieldByName(field.Name).IsZero() }
		inRequest, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		sent := fmt.Sprintf(",%q:", inRequest)
		for place, isRight := range map[string]bool{
			"Differences, with another value":  request.Differences(different).Any(),
			"Differences, with the same value": !request.Differences(same).Any(),
			"Differences, without a value":     !request.Differences(UserGroup{}).Any(),
			"ShownBy, with another value":      !request.ShownBy(different),
			"ShownBy, with the same value":     request.ShownBy(same),
			"ShownBy, without a value":         !request.ShownBy(UserGroup{}),
			"ShowsMore, than nothing":          same.ShowsMore(UserGroup{}),
			"ShowsMore, than another value":    same.ShowsMore(different),
			"ShowsMore, than the same value":   !same.ShowsMore(same),
			"WithoutEcho, with another value":  !isZero(different.WithoutEcho(request)),
			"WithoutEcho, with the same value": isZero(same.WithoutEcho(request)),
			"its tag, so that it is sent":      strings.Contains(string(encode(request)), sent),
		} {
			failIf(t, !isRight, "%s is forgotten in %s", field.Name, place)
		}
	}
}

// TestEveryFieldIsRead names the fields of a group that a response contains and nothing reads, or that Over loses.
func TestEveryFieldIsRead(t *testing.T) {
	t.Parallel()
	var members []string
	for _, member := range inResponse {
		members = append(members, fmt.Sprintf("%q:%s", member[0], member[1]))
	}
	answer, failure, _ := put.take(ok(`{"success":1,"user_group":{` + strings.Join(members, ",") + `}}`))
	failIf(t, failure != nil, "%v", failure)
	read := reflect.ValueOf(answer.UserGroup)
	kept := reflect.ValueOf(UserGroup{}.Over(answer.UserGroup))
	for field := range read.Type().Fields() {
		if _, isThere := inResponse[field.Name]; !isThere {
			t.Errorf("add %s to inResponse", field.Name)
			continue
		}
		failIf(t, read.FieldByName(field.Name).IsZero(), "%s is forgotten in userGroup, which reads it", field.Name)
		isLost := kept.FieldByName(field.Name).IsZero()
		failIf(t, isLost != (field.Name == "ProvidedID"), "%s is forgotten in Over, or kept by mistake", field.Name)
	}
}

// TestEveryFieldIsConfidentialOrShown names a field of a request whose texts are neither masked nor shown on purpose.
func TestEveryFieldIsConfidentialOrShown(t *testing.T) {
	t.Parallel()
	const text = "some-text"
	values := map[reflect.Type]any{
		reflect.TypeFor[string](): text, reflect.TypeFor[*string](): new(text),
		reflect.TypeFor[map[string]string](): map[string]string{"key": text},
		reflect.TypeFor[Properties]():        properties(`{"key":["` + text + `"]}`),
	}
	for field := range reflect.TypeFor[GroupRequest]().Fields() {
		value, isKnown := values[field.Type]
		if !isKnown {
			t.Errorf("%s: add a value of its type to this test", field.Name)
			continue
		}
		var request GroupRequest
		reflect.ValueOf(&request).Elem().FieldByName(field.Name).Set(reflect.ValueOf(value))
		known := request.Confidential()
		isDecided := slices.Contains(known.Secrets, NewSecret(text)) || slices.Contains(known.Shown, text)
		failIf(t, !isDecided, "%s is forgotten in Confidential", field.Name)
	}
}
