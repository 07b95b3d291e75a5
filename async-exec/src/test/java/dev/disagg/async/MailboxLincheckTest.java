// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/** Many producers and one consumer: every interleaving that the model checker tries is one of a plain queue. */
@Param(name = "letter", gen = IntGen.class, conf = "1:9")
public class MailboxLincheckTest {
    private static final class Letter extends Mail {
        final int number;

        Letter(int number) {
            this.number = number;
        }
    }

    private final Mailbox mailbox = new Mailbox(new NoThreads());

    @Operation
    public boolean post(@Param(name = "letter") int letter) {
        return mailbox.post(new Letter(letter));
    }

    @Operation(nonParallelGroup = "leader")
    public List<Integer> takeAll() {
        return mailbox.hasMail() ? numbers(mailbox.takeAll()) : List.of();
    }

    private static List<Integer> numbers(Mail first) {
        List<Integer> numbers = new ArrayList<>();
        for (Mail mail = first; mail != null; mail = mail.nextMail) {
            numbers.add(((Letter) mail).number);
        }
        return numbers;
    }

    @Test
    void everyInterleavingEqualsAPlainQueue() {
        new ModelCheckingOptions()
                .iterations(5)
                .invocationsPerIteration(100)
                .threads(3)
                .actorsPerThread(2)
                .actorsBefore(1)
                .actorsAfter(1)
                .sequentialSpecification(PlainQueue.class)
                .check(MailboxLincheckTest.class);
    }

    /** What the mailbox must look like from outside. */
    public static class PlainQueue {
        private final List<Integer> letters = new ArrayList<>();

        public boolean post(int letter) {
            return letters.add(letter);
        }

        public List<Integer> takeAll() {
            List<Integer> taken = List.copyOf(letters);
            letters.clear();
            return taken;
        }
    }

    private static final class NoThreads implements WorkerThreads {
        @Override
        public Thread start(String name, Runnable body) {
            throw new UnsupportedOperationException();
        }
    }
}
