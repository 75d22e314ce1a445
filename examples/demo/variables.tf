variable "customers_file" {
  description = "The file with the customers, relative to this directory."
  type        = string
  default     = "customers.yaml"
}
