import Dispatch
import Foundation
import Testing

@testable import Domesday

@Suite("Traps of observing")
struct ObservingTrapTests {
    @Test("what cannot be observed", arguments: 0..<8)
    func refusals(_ number: Int) async {
        let result: ExitTest.Result?
        let text: String
        switch number {
        case 0:
            text = "Can only add notification blocks from within runloops."
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                let observatory = Observatory()
                Thread {
                    let realm = try? Realm(configuration: observatory.configuration)
                    _ = realm?.objects(Node.self).observe { _ in }
                }.start()
                sleep(20)
            }
        case 1:
            text = "Frozen Realms do not change and do not have change notifications."
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                try Observatory().observe { _ = $0.freeze().objects(Node.self).observe { _ in } }
            }
        case 2:
            text = "Change notifications are only supported on managed collections."
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                _ = Node().others.observe { _ in }
            }
        case 3:
            text = "Only objects which are managed by a Realm support change notifications"
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                _ = Node().observe { _ in }
            }
        case 4:
            text = "Property 'nam' in KeyPath 'nam' is not a valid property in Node."
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                try Observatory().observe {
                    _ = $0.objects(Node.self).observe(keyPaths: ["nam"]) { _ in }
                }
            }
        case 5:
            text = "Property 'name' in KeyPath 'name.x' is not a collection of objects or an object"
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                try Observatory().observe {
                    _ = $0.objects(Node.self).observe(keyPaths: ["name.x"]) { _ in }
                }
            }
        case 6:
            text =
                "Incorrect Realm: only notifications for the Realm being modified can be skipped."
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                try Observatory().observe { realm in
                    let token = realm.objects(Node.self).observe { _ in }
                    try Observatory().observe { other in
                        try other.write(withoutNotifying: [token]) {}
                    }
                }
            }
        default:
            text = "Cannot register notification blocks from within write transactions."
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                try Observatory().observe { realm in
                    realm.beginWrite()
                    _ = realm.objects(Node.self).observe { _ in }
                }
            }
        }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains(text), "\(output.prefix(600))")
    }

    @Test("a main thread that runs no loop is told so")
    func mainThreadWaits() async {
        let result = await #expect(
            processExitsWith: .success,
            observing: [\.standardErrorContent]
        ) {
            let observatory = Observatory()
            await MainActor.run {
                guard let realm = try? Realm(configuration: observatory.configuration) else {
                    return
                }
                let token = realm.objects(Node.self).observe { _ in }
                sleep(UInt32(TurnScheduler.patience) + 2)
                withExtendedLifetime(token) {}
            }
            exit(0)
        }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains("has waited for the main thread"), "\(output.prefix(600))")
    }
}
