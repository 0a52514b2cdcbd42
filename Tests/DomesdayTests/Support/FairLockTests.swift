import Foundation
import Testing

@testable import Domesday

@Suite("A fair lock")
struct FairLockTests {
    private let lock = FairLock()
    private let order = Counter<[String]>([])

    /// Asks, and notes the offer.
    private func request(_ name: String) -> FairLock.Request {
        lock.request { [order] _ in order.change { $0.append(name) } }
    }

    @Test("what is free is offered at once, and the rest in the order they asked")
    func offers() {
        let first = request("first")
        #expect(order.value == ["first"])
        let second = request("second")
        let third = request("third")
        #expect(lock.take(first) && !lock.take(first) && !lock.take(second))
        lock.unlock()
        #expect(order.value == ["first", "second"] && !lock.take(third) && lock.take(second))
        lock.unlock()
        #expect(order.value == ["first", "second", "third"] && lock.take(third))
        lock.unlock()
        lock.lock()
        lock.unlock()
    }

    @Test("what is withdrawn is not offered, and an offer that is goes to the next")
    func withdrawing() {
        let first = request("first")
        let second = request("second")
        let third = request("third")
        lock.withdraw(second)
        lock.withdraw(first)
        #expect(order.value == ["first", "third"] && !lock.take(first) && lock.take(third))
        // Over already.
        lock.withdraw(first)
        lock.withdraw(third)
        #expect(!lock.take(third))
        lock.unlock()
        lock.lock()
        lock.unlock()
    }

    @Test("a thread waits for an offer, but not for ever")
    func patience() {
        let request = request("request")
        // Nobody answers.
        lock.lock()
        #expect(!lock.take(request))
        // Withdrawing what was taken lets nobody in.
        lock.withdraw(request)
        let next = self.request("next")
        #expect(order.value == ["request"] && !lock.take(next))
        lock.unlock()
        #expect(lock.take(next))
        lock.unlock()
    }

    @Test("an offer that nobody answers goes to the next request")
    func unanswered() async throws {
        let silent = request("silent")
        let next = request("next")
        let last = request("last")
        for _ in 0..<1000 where order.value.count < 2 {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(order.value.prefix(2) == ["silent", "next"] && !lock.take(silent))
        for _ in 0..<1000 where order.value.count < 3 {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(order.value == ["silent", "next", "last"] && !lock.take(next) && lock.take(last))
        lock.unlock()
    }

    @Test("threads and requests exclude each other")
    func exclusion() async {
        let total = Counter(0)
        nonisolated(unsafe) var number = 0
        let rounds = 200 * Scale.factor
        let isDone = AsyncStream<Void>.makeStream()
        for _ in 0..<3 {
            Thread { [lock] in
                for _ in 0..<rounds {
                    lock.lock()
                    number += 1
                    lock.unlock()
                }
                total.change { $0 += 1 }
                isDone.continuation.yield()
            }.start()
        }
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { [lock] in
                    for _ in 0..<rounds {
                        while true {
                            let (offers, offered) = AsyncStream<Void>.makeStream()
                            let request = lock.request { _ in offered.finish() }
                            for await _ in offers {}
                            if lock.take(request) { break }
                        }
                        number += 1
                        lock.unlock()
                    }
                }
            }
        }
        var iterator = isDone.stream.makeAsyncIterator()
        while total.value < 3 { _ = await iterator.next() }
        #expect(number == 11 * rounds)
    }
}
