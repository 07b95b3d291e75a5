// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.ufs.ObjectRange;
import dev.disagg.ufs.Pack;
import dev.disagg.ufs.UnifiedFileSystem.ObjectFile;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Where tables are written to, one after the other. Not thread-safe. */
public interface TableOutput {
    /** Starts a table; what it returns takes its bytes, valid during the call only. */
    Consumer<ByteBuffer> begin();

    /** Ends the table and says where it is. */
    ObjectRange end();

    /** Tables gathered in memory and appended to a pack. */
    static TableOutput into(Pack pack) {
        return new TableOutput() {
            private List<ByteBuffer> parts = new ArrayList<>();

            @Override
            public Consumer<ByteBuffer> begin() {
                parts = new ArrayList<>();
                return bytes -> {
                    ByteBuffer copy = ByteBuffer.allocate(bytes.remaining());
                    copy.put(bytes).flip();
                    parts.add(copy);
                };
            }

            @Override
            public ObjectRange end() {
                ObjectRange range = pack.append(parts);
                parts = new ArrayList<>();
                return range;
            }
        };
    }

    /** Tables streamed into an object. */
    static TableOutput into(ObjectFile file) {
        return new TableOutput() {
            private long start;

            @Override
            public Consumer<ByteBuffer> begin() {
                start = file.position();
                return file::write;
            }

            @Override
            public ObjectRange end() {
                return new ObjectRange(file.object(), start, file.position() - start);
            }
        };
    }
}
