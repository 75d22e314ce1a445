package main

import (
	"errors"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Every colour has enough contrast on white and on a dark page; the background stays transparent.
var (
	chartText   = color.RGBA{0x76, 0x7c, 0x85, 0xff}
	chartColour = []color.Color{
		color.RGBA{0x8a, 0x8f, 0x98, 0xff}, // grey
		color.RGBA{0x3f, 0x87, 0xe0, 0xff}, // blue
		color.RGBA{0xd0, 0x78, 0x1e, 0xff}, // orange
		color.RGBA{0x2e, 0x9e, 0x6b, 0xff}, // green
		color.RGBA{0xb0, 0x62, 0xc4, 0xff}, // violet
	}
	chartDark = color.RGBA{0xc9, 0x4f, 0x4f, 0xff} // what the provider adds on top
)

// bar is one contender of a chart: a value for each operation, and what is stacked on top of it.
type bar struct {
	name        string
	values, top []float64
}

// drawChart draws CPU and wall time side by side.
func drawChart(dir string, all index, n, latency int) error {
	median := func(contender string, latency int, of func(sample) float64) []float64 {
		var values []float64
		for _, operation := range operations {
			measured := all[cellKey{contender, n, latency, operation}].values(of)
			if len(measured) == 0 {
				return nil
			}
			values = append(values, summarise(measured).Median)
		}
		return values
	}
	var cpus, walls []bar
	for _, one := range chartOrder(all, n, latency) {
		cpus = append(cpus, bar{one.contender, median(one.contender, one.latency, engineCPU), median(one.contender, one.latency, providerCPU)})
		walls = append(walls, bar{name: one.contender, values: median(one.contender, one.latency, wall)})
		if one.contender == nameFloor {
			walls[len(walls)-1] = bar{nameFloor + " + " + nameWire, walls[len(walls)-1].values, median(nameWire, latency, wall)}
		}
	}
	left, err := barPlot(fmt.Sprintf("CPU seconds, %d groups", n), cpus, "of which provider")
	if err != nil {
		return err
	}
	right, err := barPlot(fmt.Sprintf("Wall seconds, %d groups, latency %d ms", n, latency), walls, "of which "+nameWire)
	if err != nil {
		return err
	}
	const width, height = 26 * vg.Centimeter, 10 * vg.Centimeter
	picture := vgsvg.New(width, height)
	canvas := draw.New(picture)
	tiles := draw.Tiles{Rows: 1, Cols: 2, PadX: vg.Centimeter, PadTop: 2 * vg.Millimeter, PadBottom: 2 * vg.Millimeter, PadLeft: 2 * vg.Millimeter, PadRight: 2 * vg.Millimeter}
	for i, canvas := range plot.Align([][]*plot.Plot{{left, right}}, tiles, canvas)[0] {
		[]*plot.Plot{left, right}[i].Draw(canvas)
	}
	file, err := os.Create(filepath.Join(dir, "bench.svg"))
	if err != nil {
		return err
	}
	_, err = picture.WriteTo(file)
	return errors.Join(err, file.Close())
}

// chartOrder has the floors first and ours before what others/ holds.
func chartOrder(all index, n, latency int) []cellKey {
	var keys []cellKey
	for _, name := range []string{nameEngine, nameFloor} {
		keys = append(keys, cellKey{name, n, noLatency, ""})
	}
	var names []string
	for key := range all {
		if key.n == n && key.latency == latency && key.contender != nameWire && key.contender != nameOurs && !slices.Contains(names, key.contender) {
			names = append(names, key.contender)
		}
	}
	slices.Sort(names)
	for _, name := range append([]string{nameOurs}, names...) {
		keys = append(keys, cellKey{name, n, latency, ""})
	}
	return keys
}

func barPlot(title string, bars []bar, topName string) (*plot.Plot, error) {
	p := newPlot(title)
	p.Y.Min = 0
	const group = 2.2 * vg.Centimeter
	width := group / vg.Length(len(bars))
	var onTop plot.Thumbnailer
	for i, one := range bars {
		if one.values == nil {
			continue
		}
		offset := (vg.Length(i) - vg.Length(len(bars)-1)/2) * width
		base, err := plotter.NewBarChart(plotter.Values(one.values), width*0.9)
		if err != nil {
			return nil, err
		}
		base.Color, base.Offset, base.LineStyle.Width = chartColour[i%len(chartColour)], offset, 0
		p.Add(base)
		p.Legend.Add(one.name, base)
		if one.top == nil || slices.Max(one.top) == 0 {
			continue
		}
		top, err := plotter.NewBarChart(plotter.Values(one.top), width*0.9)
		if err != nil {
			return nil, err
		}
		top.Color, top.Offset, top.LineStyle.Width = chartDark, offset, 0
		top.StackOn(base)
		p.Add(top)
		onTop = top
	}
	if onTop != nil {
		p.Legend.Add(topName, onTop)
	}
	p.NominalX(operations...)
	return p, nil
}

func newPlot(title string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil // what is behind it shows, light or dark
	p.Title.Text = title
	p.Title.Padding = 3 * vg.Millimeter
	p.Title.TextStyle.Color = chartText
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Color, axis.Tick.Color = chartText, chartText
		axis.Label.TextStyle.Color, axis.Tick.Label.Color = chartText, chartText
	}
	p.Legend.Top = true
	p.Legend.Left = true
	p.Legend.TextStyle.Color = chartText
	return p
}
