extension Duration {
    /// The duration as an age in words, to about two digits. A negative duration is shown as zero.
    package var roughText: String {
        let seconds = max(0, components.seconds)
        switch seconds {
        case ..<120: return "\(seconds)s"
        case ..<7_200: return "\(seconds / 60)min"
        case ..<172_800: return "\(seconds / 3_600)h"
        default: return "\(seconds / 86_400)d"
        }
    }
}
