package probe

const Docs = docs

// RowsOfFindings returns a row for every finding that a probe can have, by question=finding.
func RowsOfFindings() map[string]Row {
	rows := map[string]Row{}
	for _, question := range questions {
		for answer := range question.findings {
			p := probe{rows: map[string]Row{}}
			p.found(question.id, answer, "x")
			rows[question.id+"="+answer] = p.rows[question.id]
		}
	}
	return rows
}
