// What PlantedBugs uses of Apple's C library, see Foundation.swift.

public func getenv(_ name: UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar>? { nil }
