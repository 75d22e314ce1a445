package main

import (
	"bytes"
	_ "embed"
	"text/template"
)

// chart is what chart.svg.tmpl draws: a row for each figure. Colors say whose process it was, and nothing else.
type chart struct {
	report
	CPU, Memory axis
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
	err = parsed.Execute(&svg, chart{r, newAxis(205, 330, cpu), newAxis(640, 190, memory)})
	return svg.Bytes(), err
}

// First says that a row begins an operation, which then has its name above.
func (c chart) First(row int) bool {
	return row == 0 || c.Figures[row].Operation != c.Figures[row-1].Operation
}

// Y is the upper edge of a row. Bottom is that of what is below the last one.
func (c chart) Y(row int) int { return 136 + 22*row + 30*(row*len(operations)/len(c.Figures)) }
func (c chart) Bottom() int   { return c.Y(len(c.Figures)-1) + 26 }
func (c chart) Height() int   { return c.Bottom() + 56 }

// axis has zero at X. Its ticks are some four round numbers, and the last of them is not below what is drawn.
type axis struct {
	X, Width float64
	Ticks    []float64
}

func newAxis(x, width, most float64) axis {
	step := 0.01
	for i := 0; most/step > 5; i++ {
		step *= []float64{2, 2.5, 2}[i%3]
	}
	a := axis{x, width, []float64{0}}
	for i := 1; a.Ticks[i-1] < most; i++ {
		a.Ticks = append(a.Ticks, float64(i)*step)
	}
	return a
}

// Px is the length of a value.
func (a axis) Px(value float64) float64 { return a.Width * value / a.Ticks[len(a.Ticks)-1] }

// At is where values that are drawn one after the other end.
func (a axis) At(values ...float64) float64 {
	x := a.X
	for _, value := range values {
		x += a.Px(value)
	}
	return x
}
