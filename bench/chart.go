package main

import (
	"bytes"
	_ "embed"
	"text/template"
)

// chart is the data for chart.svg.tmpl, which draws a row for each figure. The colors distinguish the processes of
// the provider and of the engine, and nothing else.
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

// First reports whether a row is the first one of its operation. The name of the operation is drawn above that row.
func (c chart) First(row int) bool {
	return row == 0 || c.Figures[row].Operation != c.Figures[row-1].Operation
}

// Y returns the upper edge of a row, Bottom that of the part below the last row, and Height the height of the chart.
func (c chart) Y(row int) int { return 136 + 22*row + 30*(row*len(operations)/len(c.Figures)) }
func (c chart) Bottom() int   { return c.Y(len(c.Figures)-1) + 26 }
func (c chart) Height() int   { return c.Bottom() + 56 }

// axis is a scale that begins with zero at X. Its ticks are zero and up to five round numbers, and the last tick is
// not below any value in the chart.
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

// Px returns the length of a value.
func (a axis) Px(value float64) float64 { return a.Width * value / a.Ticks[len(a.Ticks)-1] }

// At returns the end of several values that are drawn one after the other.
func (a axis) At(values ...float64) float64 {
	x := a.X
	for _, value := range values {
		x += a.Px(value)
	}
	return x
}
