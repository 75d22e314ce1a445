package main

import (
	"bytes"
	_ "embed"
	"text/template"
)

// chart is what chart.svg.tmpl draws: a row for each figure. Colors say whose process it was, and nothing else.
type chart struct {
	report
	CPU, Memory scale
}

//go:embed chart.svg.tmpl
var chartTemplate string

func (r report) chart() ([]byte, error) {
	var cpu, memory float64
	for _, f := range r.Figures {
		cpu, memory = max(cpu, f.ProviderCPU.Median+f.EngineCPU.Median), max(memory, f.Peak.Median)
	}
	parsed, err := template.New("chart.svg").Parse(chartTemplate)
	if err != nil {
		return nil, err
	}
	var svg bytes.Buffer
	err = parsed.Execute(&svg, chart{r, scale{205, 330 / cpu}, scale{640, 190 / memory}})
	return svg.Bytes(), err
}

// First says that a row begins an operation, which then has its name above.
func (c chart) First(row int) bool {
	return row == 0 || c.Figures[row].Operation != c.Figures[row-1].Operation
}

// Y is the upper edge of a row. Bottom is that of what is below the last one.
func (c chart) Y(row int) int { return 136 + 22*row + 30*(row*len(operations)/len(c.Figures)) }
func (c chart) Bottom() int   { return c.Y(len(c.Figures)-1) + 26 }
func (c chart) Height() int   { return c.Bottom() + 36 }

// scale has zero at X.
type scale struct{ X, Unit float64 }

// Px is the length of a value.
func (s scale) Px(value float64) float64 { return s.Unit * value }

// At is where values that are drawn one after the other end.
func (s scale) At(values ...float64) float64 {
	x := s.X
	for _, value := range values {
		x += s.Px(value)
	}
	return x
}
