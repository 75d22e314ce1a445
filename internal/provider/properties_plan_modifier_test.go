package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestKeepEqualProperties(t *testing.T) {
	t.Parallel()
	null, unknown, text := types.StringNull(), types.StringUnknown(), types.StringValue
	tests := map[string]struct{ config, plan, state, want types.String }{
		"the same":             {text(`{"a":1}`), text(`{"a":1}`), text(`{"a":1}`), text(`{"a":1}`)},
		"reformatted":          {text(`{"b":1,"a":2}`), text(`{"b":1,"a":2}`), text("{ \"a\": 2.0,\n \"b\": 1e0 }"), text("{ \"a\": 2.0,\n \"b\": 1e0 }")},
		"changed":              {text(`{"a":1}`), text(`{"a":1}`), text(`{"a":2}`), text(`{"a":1}`)},
		"changed by one":       {text(`{"a":9007199254740993}`), text(`{"a":9007199254740993}`), text(`{"a":9007199254740992}`), text(`{"a":9007199254740993}`)},
		"create":               {text(`{"a":1}`), text(`{"a":1}`), null, text(`{"a":1}`)},
		"managed no more":      {null, null, text(`{"a":1}`), null},
		"never managed":        {null, null, null, null},
		"emptied":              {text(`{}`), text(`{}`), text(`{"a":1}`), text(`{}`)},
		"managed from now on":  {text(`{}`), text(`{}`), null, text(`{}`)},
		"unknown":              {unknown, unknown, text(`{"a":1}`), unknown},
		"unknown on create":    {unknown, unknown, null, unknown},
		"left unknown":         {text(`{"a":1}`), unknown, text(`{"a":1}`), unknown},
		"invalid in the state": {text(`{"a":1}`), text(`{"a":1}`), text(`{"a":`), text(`{"a":1}`)},
		"invalid in both":      {text(`{"a":`), text(`{"a":`), text(`{"a":`), text(`{"a":`)},
		"modified before":      {text(`{"a":1}`), text(`{"a":2}`), text(`{"a":1}`), text(`{"a":2}`)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := planmodifier.StringRequest{ConfigValue: test.config, PlanValue: test.plan, StateValue: test.state}
			resp := planmodifier.StringResponse{PlanValue: test.plan}
			keepEqualProperties{}.PlanModifyString(t.Context(), req, &resp)
			if !resp.PlanValue.Equal(test.want) || resp.Diagnostics.HasError() || resp.RequiresReplace {
				t.Errorf("planned %s, want %s (%v)", resp.PlanValue, test.want, resp.Diagnostics)
			}
		})
	}
}
