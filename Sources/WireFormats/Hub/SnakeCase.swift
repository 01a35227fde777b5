/// The SQL name for a Swift name: `SDUserProfile` → `sd_user_profile`, `totalProteinG` → `total_protein_g`.
func snakeCase(_ name: String) -> String {
    let letters = Array(name)
    var words = ""
    for (index, letter) in letters.enumerated() {
        let startsWord =
            letter.isUppercase && index > 0
            && (!letters[index - 1].isUppercase || (index + 1 < letters.count && letters[index + 1].isLowercase))
        if startsWord, letters[index - 1] != "_" { words += "_" }
        words += letter.lowercased()
    }
    return words
}
