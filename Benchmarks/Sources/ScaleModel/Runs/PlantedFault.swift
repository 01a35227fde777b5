/// Mistakes that `--fault` puts into the model on purpose, so that `--check` is known to find them.
enum PlantedFault: String, CaseIterable {
    /// A core is free again after nine tenths of a request's time.
    case shortService = "short-service"
    /// One in a thousand requests disappears on its way to the database.
    case lostRequest = "lost-request"
    /// Each request takes as long as the pause before it: both come from the same random number.
    case reusedRandom = "reused-random"

    /// The number of requests, of which `lostRequest` loses one.
    static let lostOneIn = 1000
}
