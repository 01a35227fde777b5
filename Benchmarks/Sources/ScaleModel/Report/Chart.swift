import Foundation

/// A picture of lines over two axes, or of two such panels side by side, as the text of an SVG.
struct Chart {
    /// An axis with its marks.
    struct Axis {
        let label: String
        let least: Double
        let greatest: Double
        let marks: [(value: Double, text: String)]
        var isLogarithmic = false

        /// Returns the distance of a value from the least, as a share of the axis.
        func share(of value: Double) -> Double {
            let clamped = min(max(value, least), greatest)
            return isLogarithmic
                ? log(clamped / least) / log(greatest / least) : (clamped - least) / (greatest - least)
        }
    }

    struct Line {
        let name: String
        let points: [(x: Double, y: Double)]
    }

    struct Panel {
        let title: String
        let horizontal: Axis
        let vertical: Axis
        let lines: [Line]
    }

    let title: String
    let description: String
    let panels: [Panel]

    private static let size = (width: 800.0, height: 340.0)
    private static let margin = (left: 62.0, right: 22.0, top: 108.0, bottom: 52.0)
    /// The distance of two entries of the legend.
    private static let legendStep = 18.0

    private static let style = """
        <style>
        text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;font-size:13px;fill:#1f2328}
        .head{font-size:15px;font-weight:600}
        .middle{text-anchor:middle}.end{text-anchor:end}
        .page{fill:#fff;stroke:#d0d7de}
        .grid{stroke:#d0d7de;fill:none}
        .l0,.l1,.l2,.l3{fill:none;stroke-width:2.5;stroke-linejoin:round}
        .l0{stroke:#0a4fa0}.l1{stroke:#b35900;stroke-dasharray:9 4}
        .l2{stroke:#5b3aa6;stroke-dasharray:2 3}.l3{stroke:#1a7f37;stroke-dasharray:12 3 2 3}
        @media (prefers-color-scheme:dark){
        text{fill:#e6edf3}
        .page{fill:#0d1117;stroke:#3d444d}
        .grid{stroke:#3d444d}
        .l0{stroke:#8cc4ff}.l1{stroke:#ffb86b}.l2{stroke:#cbb5ff}.l3{stroke:#6fdd8b}
        }
        </style>
        """

    var svg: String {
        let (w, h) = (Chart.number(Chart.size.width), Chart.number(Chart.size.height))
        let head = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(w) \(h)\" role=\"img\" "
                + "aria-labelledby=\"title description\">",
            "<title id=\"title\">\(Chart.escaped(title))</title>",
            "<desc id=\"description\">\(Chart.escaped(description))</desc>", Chart.style,
            "<rect class=\"page\" x=\"1\" y=\"1\" width=\"\(Chart.number(Chart.size.width - 2))\" "
                + "height=\"\(Chart.number(Chart.size.height - 2))\" rx=\"10\"/>",
        ]
        let drawn = panels.enumerated().flatMap { index, panel in
            draw(panel, from: Double(index) * panelWidth)
        }
        return (head + drawn + ["</svg>", ""]).joined(separator: "\n")
    }

    private var panelWidth: Double { Chart.size.width / Double(panels.count) }

    // MARK: Parts of a panel

    private func draw(_ panel: Panel, from left: Double) -> [String] {
        let (x0, x1) = (left + Chart.margin.left, left + panelWidth - Chart.margin.right)
        let (y0, y1) = (Chart.size.height - Chart.margin.bottom, Chart.margin.top)
        func x(_ value: Double) -> Double { x0 + (x1 - x0) * panel.horizontal.share(of: value) }
        func y(_ value: Double) -> Double { y0 + (y1 - y0) * panel.vertical.share(of: value) }
        var parts = [Chart.text(panel.title, left + 14, 24, "head")]
        for mark in panel.horizontal.marks {
            parts.append(Chart.path("grid", [(x(mark.value), y0), (x(mark.value), y1)]))
            parts.append(Chart.text(mark.text, x(mark.value), y0 + 17, "middle"))
        }
        for mark in panel.vertical.marks {
            parts.append(Chart.path("grid", [(x0, y(mark.value)), (x1, y(mark.value))]))
            parts.append(Chart.text(mark.text, x0 - 6, y(mark.value) + 4, "end"))
        }
        parts.append(Chart.text(panel.horizontal.label, (x0 + x1) / 2, y0 + 38, "middle"))
        parts.append(Chart.text(panel.vertical.label, left + 14, y1 - 10, ""))
        for (index, line) in panel.lines.enumerated() {
            parts.append(Chart.path("l\(index)", line.points.map { (x($0.x), y($0.y)) }))
        }
        return parts + legend(of: panel, from: left)
    }

    private func legend(of panel: Panel, from left: Double) -> [String] {
        panel.lines.enumerated().flatMap { index, line -> [String] in
            let (column, row) = panel.lines.count > 2 ? (index % 2, index / 2) : (index, 0)
            let x = left + 14 + Double(column) * (panelWidth / 2 - 10)
            let y = 46 + Double(row) * Chart.legendStep
            return [
                Chart.path("l\(index)", [(x, y - 4), (x + 30, y - 4)]), Chart.text(line.name, x + 36, y, ""),
            ]
        }
    }

    // MARK: Text of SVG

    private static func text(_ text: String, _ x: Double, _ y: Double, _ style: String) -> String {
        let kind = style.isEmpty ? "" : " class=\"\(style)\""
        return "<text\(kind) x=\"\(number(x))\" y=\"\(number(y))\">\(escaped(text))</text>"
    }

    private static func path(_ style: String, _ points: [(Double, Double)]) -> String {
        let steps = points.map { "\(number($0.0)) \(number($0.1))" }.joined(separator: "L")
        return "<path class=\"\(style)\" d=\"M\(steps)\"/>"
    }

    private static func number(_ value: Double) -> String {
        let text = String(format: "%.1f", value)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }
}
