extension QuantityText {
    var examples: [String] { QuantityText.readable.map(\.text) + QuantityText.unreadable }

    /// Texts that can be read, usual and difficult ones, each with the number and the unit that are read.
    static let readable: [(text: String, number: Double, unit: String)] = [
        ("500 mL", 500, "mL"), ("1 cup", 1, "cup"), ("100g", 100, "g"), ("2 slices", 2, "slices"), ("1.5 L", 1.5, "L"),
        ("1,5 l", 1.5, "l"), ("1/2 cup", 0.5, "cup"), ("2", 2, ""), ("250.0 ml", 250, "ml"), ("1 fl oz", 1, "fl oz"),
        ("50%", 50, "%"), ("3 Eier", 3, "Eier"), ("1 can (330 ml)", 1, "can (330 ml)"), ("2 x g", 2, "x g"),
        // Fractions, and numbers that begin or end in an unusual way.
        ("1 1/2 cups", 1.5, "cups"), ("12 3/4", 12.75, ""), ("999999999/999999999 x", 1, "x"), (".5 cup", 0.5, "cup"),
        (",25 l", 0.25, "l"), ("0,125 l", 0.125, "l"), ("1,5000 g", 1.5, "g"), ("1.5000 kg", 1.5, "kg"), ("0", 0, ""),
        // Fractions of one character, other slashes, and digits of other scripts and widths.
        ("½ cup", 0.5, "cup"), ("1½ cups", 1.5, "cups"), ("1 ½ cup", 1.5, "cup"), ("2\u{202F}¾", 2.75, ""),
        ("⅖", 0.4, ""), ("↉ l", 0, "l"), ("1⁄2 cup", 0.5, "cup"), ("1 1∕2 cup", 1.5, "cup"), ("٣ cups", 3, "cups"),
        ("١٢٫٥ g", 12.5, "g"), ("१½ कप", 1.5, "कप"), ("１ g", 1, "g"), ("２．５　ｇ", 2.5, "ｇ"), ("１／２", 0.5, ""),
        ("𝟙 g", 1, "g"), ("٠,125 l", 0.125, "l"),
        ("007 g", 7, "g"), ("123456789012345 g", 123_456_789_012_345, "g"), ("0.000000000000001 g", 1e-15, "g"),
        // White space, also of the kinds that formatters use; a space that is none of them belongs to the unit.
        (" 3 \t tbsp \n", 3, "tbsp"), ("3\u{A0}g", 3, "g"), ("4\u{202F}g\u{A0}", 4, "g"), ("6\u{2009}g", 6, "g"),
        ("5\u{2003}g", 5, "\u{2003}g"), ("100 g\nchopped", 100, "g\nchopped"),
        // Units that look like the end of a number, or are not ASCII.
        ("1 e", 1, "e"), ("1 egg", 1, "egg"), ("1e g", 1, "e g"), ("0x g,", 0, "x g,"), ("1 é", 1, "é"),
        ("2 e\u{301}", 2, "e\u{301}"), ("1\u{301} g", 1, "\u{301} g"), ("2 🍎 each", 2, "🍎 each"),
        ("2 XL", 2, "XL"), ("1 'small'", 1, "'small'"), ("3 _", 3, "_"), ("2 (100g)", 2, "(100g)"), ("3 °C", 3, "°C"),
        ("2 х", 2, "х"), ("5 µg", 5, "µg"), ("1 fl. oz (30 ml)", 1, "fl. oz (30 ml)"),
    ]

    /// Texts that have no number, or none that can be read without doubt.
    static let unreadable = [
        "", " ", "\u{A0}\n", "a handful", "g 100", "½½ cup", "½2 cup", "1/½ cup", "½/2", "1.½", "½.5", "1.5½", "⅟8",
        "1/0 cup", "1/00", "1 1/0 cup", "0/0", "1/02 cup", "1/2/3", "/2 cup", "1/ 2 cup", "1 1 1/2 g", "1e999", "1E5 g",
        "1 e9", "1e+5", "1e-5", "NaN", "nan g", "inf", "-inf", "-5 g", "+5 g", "1-2 cups", "2 – 3 cups", "1 −2",
        "1,500 mL",
        "12,000", "10,125 kg", "1.2.3 g", "1,2,3", "5.", "5 .5", "1 2 g", ". g", "1234567890123456 g",
        "0.1234567890123456", "1/1234567890 g", "1234567890/2 g", "99999999999999999999999999999999999999 g",
        "1234567890½",
        // Texts that two people read in two ways.
        "1.500 g", "1.125 cups", "12.000", "١٫٥٠٠ g", "１，５００ g",
        // A number that goes on, a product, a range or a power.
        "2x100g", "2×3 cm", "2*½ l", "0x10 g,", "2 x 100g", "2 X ٣", "2 * 3", "2х100 г", "2✖️3", "2x.5 l", "1'500 g",
        "1’500 g",
        "1 '500", "1_000 g", "1٬٥٠٠ g", "1،5 g", "1·5 g", "1・5 g", "1\u{2003}500 g", "1\u{2007}500 g", "－5 g", "1 ２ g",
        "1〇〇 g",
        "1:2", "1;5", "1~2 cups", "1〜2 cups", "5 ±1 g", "1 & 1/2 cup", "1e−5", "10² g", "1¹⁄₂",
    ]
}
