import Testing

@testable import Domesday
