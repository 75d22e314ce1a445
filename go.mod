module github.com/dashembed/terraform-provider-embed

go 1.26.0

// What a release contains, with what it is for.
require (
	github.com/hashicorp/terraform-plugin-framework v1.19.0 // the provider, in Go terms
	github.com/hashicorp/terraform-plugin-framework-validators v0.19.0 // checks of single arguments
	github.com/hashicorp/terraform-plugin-go v0.31.0 // Terraform's protocol: serves the provider
	github.com/hashicorp/terraform-plugin-log v0.11.0 // logs that Terraform filters and masks
	golang.org/x/net v0.62.0 // rules for header values, and for the variables of proxies
	golang.org/x/time v0.16.0 // the bucket of the rate limiter
)

// What only tests and tools need.
require (
	github.com/google/go-cmp v0.7.0 // readable differences
	github.com/hashicorp/go-hclog v1.6.3 // the logs of the stand-ins for other providers
	github.com/hashicorp/go-plugin v1.8.0 // serves the stand-ins for other providers
	github.com/hashicorp/go-version v1.9.0 // which features an engine has
	github.com/hashicorp/terraform-plugin-testing v1.16.0 // steps that authors of providers know
	github.com/rogpeppe/go-internal v1.16.0 // testscript, for scripts and the demo
	github.com/zclconf/go-cty v1.20.0 // Terraform's own jsonencode, to compare properties with
)

require (
	github.com/ProtonMail/go-crypto v1.5.2 // indirect
	github.com/agext/levenshtein v1.2.3 // indirect
	github.com/apparentlymart/go-textseg/v15 v15.0.0 // indirect
	github.com/apparentlymart/go-textseg/v17 v17.0.1 // indirect
	github.com/cloudflare/circl v1.6.5 // indirect
	github.com/fatih/color v1.19.0 // indirect
	github.com/golang/protobuf v1.5.4 // indirect
	github.com/hashicorp/errwrap v1.1.0 // indirect
	github.com/hashicorp/go-checkpoint v0.5.0 // indirect
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
	github.com/hashicorp/go-cty v1.5.0 // indirect
	github.com/hashicorp/go-multierror v1.1.1 // indirect
	github.com/hashicorp/go-retryablehttp v0.7.8 // indirect
	github.com/hashicorp/go-uuid v1.0.4 // indirect
	github.com/hashicorp/hc-install v0.10.0 // indirect
	github.com/hashicorp/hcl/v2 v2.25.0 // indirect
	github.com/hashicorp/logutils v1.0.0 // indirect
	github.com/hashicorp/terraform-exec v0.26.0 // indirect
	github.com/hashicorp/terraform-json v0.29.0 // indirect
	github.com/hashicorp/terraform-plugin-sdk/v2 v2.40.1 // indirect
	github.com/hashicorp/terraform-registry-address v0.5.1 // indirect
	github.com/hashicorp/terraform-svchost v0.2.1 // indirect
	github.com/hashicorp/yamux v0.1.2 // indirect
	github.com/mattn/go-colorable v0.1.16 // indirect
	github.com/mattn/go-isatty v0.0.24 // indirect
	github.com/mitchellh/copystructure v1.2.0 // indirect
	github.com/mitchellh/go-testing-interface v1.14.1 // indirect
	github.com/mitchellh/go-wordwrap v1.0.1 // indirect
	github.com/mitchellh/mapstructure v1.5.0 // indirect
	github.com/mitchellh/reflectwalk v1.0.2 // indirect
	github.com/oklog/run v1.2.0 // indirect
	github.com/vmihailenco/msgpack v4.0.4+incompatible // indirect
	github.com/vmihailenco/msgpack/v5 v5.4.1 // indirect
	github.com/vmihailenco/tagparser/v2 v2.0.0 // indirect
	golang.org/x/crypto v0.59.0 // indirect
	golang.org/x/mod v0.43.0 // indirect
	golang.org/x/sync v0.25.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/text v0.44.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
	google.golang.org/appengine v1.6.8 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20261110000943-09e21b237f2c // indirect
	google.golang.org/grpc v1.85.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)
