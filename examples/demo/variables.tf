variable "customers_file" {
  description = "Path of the file with the customers, relative to this directory."
  type        = string
  default     = "customers.yaml"
}
