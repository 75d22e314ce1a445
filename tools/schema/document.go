package main

import "github.com/hashicorp/terraform-plugin-go/tftypes"

// The types below are the JSON document of `terraform providers schema -json`, format 1.0, without what this provider does not
// have (functions, state stores). A tftypes.Type writes itself in the form that the document wants.
type (
	document struct {
		FormatVersion string                     `json:"format_version"`
		Schemas       map[string]*providerSchema `json:"provider_schemas"`
	}

	providerSchema struct {
		Provider           *schema              `json:"provider"`
		Resources          map[string]*schema   `json:"resource_schemas,omitempty"`
		DataSources        map[string]*schema   `json:"data_source_schemas,omitempty"`
		EphemeralResources map[string]*schema   `json:"ephemeral_resource_schemas,omitempty"`
		ListResources      map[string]*schema   `json:"list_resource_schemas,omitempty"`
		Identities         map[string]*identity `json:"resource_identity_schemas,omitempty"`
		Actions            map[string]*action   `json:"action_schemas,omitempty"`
	}

	schema struct {
		Version int64  `json:"version"`
		Block   *block `json:"block"`
	}

	action struct {
		Block *block `json:"block"`
	}

	block struct {
		Attributes         map[string]*attribute `json:"attributes,omitempty"`
		Blocks             map[string]*blockType `json:"block_types,omitempty"`
		Description        string                `json:"description,omitempty"`
		DescriptionKind    string                `json:"description_kind"`
		Deprecated         bool                  `json:"deprecated,omitempty"`
		DeprecationMessage string                `json:"deprecation_message,omitempty"`
	}

	blockType struct {
		Nesting  string `json:"nesting_mode"`
		Block    *block `json:"block"`
		MinItems int64  `json:"min_items,omitempty"`
		MaxItems int64  `json:"max_items,omitempty"`
	}

	attribute struct {
		Type               tftypes.Type `json:"type,omitempty"`
		Nested             *object      `json:"nested_type,omitempty"`
		Description        string       `json:"description,omitempty"`
		DescriptionKind    string       `json:"description_kind"`
		Deprecated         bool         `json:"deprecated,omitempty"`
		DeprecationMessage string       `json:"deprecation_message,omitempty"`
		Required           bool         `json:"required,omitempty"`
		Optional           bool         `json:"optional,omitempty"`
		Computed           bool         `json:"computed,omitempty"`
		Sensitive          bool         `json:"sensitive,omitempty"`
		WriteOnly          bool         `json:"write_only,omitempty"`
	}

	object struct {
		Attributes map[string]*attribute `json:"attributes,omitempty"`
		Nesting    string                `json:"nesting_mode"`
	}

	identity struct {
		Version    int64                         `json:"version"`
		Attributes map[string]*identityAttribute `json:"attributes"`
	}

	identityAttribute struct {
		Type              tftypes.Type `json:"type"`
		Description       string       `json:"description,omitempty"`
		RequiredForImport bool         `json:"required_for_import,omitempty"`
		OptionalForImport bool         `json:"optional_for_import,omitempty"`
	}
)
