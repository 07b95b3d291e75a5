// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.graph.View;
import dev.disagg.state.SharedRun;
import dev.disagg.state.cell.Sources;
import dev.disagg.ufs.Corrupt;
import dev.disagg.ufs.Failed;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.jspecify.annotations.Nullable;

/** Panes as a task stores them; drawn in {@code docs/format/waiting-elements.md}. One owner. */
final class PaneCodec {
    private static final String PREFIX = "view:";
    private static final int SMALL = 0;
    private static final int LARGE = 1;

    private final List<View> views;

    PaneCodec(List<View> views) {
        this.views = List.copyOf(views);
    }

    /** The name under which the newest pane of a window is stored. */
    byte[] id(int view, BoundedWindow window) {
        return bytes(view, out -> {
            out.write(prefix(view));
            windowCoder(view).encode(window, out);
        });
    }

    private byte[] prefix(int view) {
        return bytes(view, out -> {
            out.writeBytes(PREFIX);
            out.writeUTF(views.get(view).id());
        });
    }

    byte[] encode(ViewPane pane) {
        return bytes(pane.view(), out -> {
            out.writeLong(pane.pane());
            windowCoder(pane.view()).encode(pane.window(), out);
            if (pane.content() instanceof ViewPane.Small small) {
                out.writeByte(SMALL);
                out.write(small.encoded());
            } else if (pane.content() instanceof ViewPane.Large large) {
                out.writeByte(LARGE);
                out.write(large.run().name().getBytes(StandardCharsets.UTF_8));
            }
        });
    }

    /**
     * @param linked the runs that the task's store links, by name
     * @return null when the item is not a pane of a view of this stage
     */
    @Nullable
    ViewPane decode(Sources.Item item, Map<String, SharedRun> linked) {
        for (int view = 0; view < views.size(); view++) {
            byte[] prefix = prefix(view);
            byte[] id = item.splitId();
            if (id.length >= prefix.length && Arrays.equals(prefix, 0, prefix.length, id, 0, prefix.length)) {
                return decode(view, item.position(), linked);
            }
        }
        return null;
    }

    private ViewPane decode(int view, byte[] stored, Map<String, SharedRun> linked) {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(stored));
        try {
            long pane = in.readLong();
            BoundedWindow window = windowCoder(view).decode(in);
            int kind = in.readByte();
            byte[] content = in.readAllBytes();
            return new ViewPane(
                    view, window, pane, kind == LARGE ? large(view, content, linked) : small(view, content));
        } catch (IOException e) {
            throw new Failed(
                    "a stored pane of the side input " + views.get(view).id() + " can not be decoded: " + e.getMessage()
                            + "; has the coder of its collection changed?",
                    e);
        }
    }

    private ViewPane.Large large(int view, byte[] name, Map<String, SharedRun> linked) {
        String run = new String(name, StandardCharsets.UTF_8);
        SharedRun found = linked.get(run);
        if (found == null) {
            throw new Corrupt(
                    "a stored pane of the side input " + views.get(view).id() + " is in " + run
                            + ", which the manifest does not name: restore from another checkpoint");
        }
        return new ViewPane.Large(found);
    }

    private ViewPane.Small small(int view, byte[] encoded) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(encoded));
        Coder<?> coder = views.get(view).view().getCoderInternal();
        int count = in.readInt();
        List<Object> elements = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            elements.add(coder.decode(in));
        }
        return new ViewPane.Small(elements, encoded);
    }

    private interface Content {
        void to(DataOutputStream out) throws IOException;
    }

    private byte[] bytes(int view, Content content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            content.to(new DataOutputStream(bytes));
        } catch (IOException e) {
            throw new Failed(
                    "a pane of the side input " + views.get(view).id() + " can not be encoded: " + e.getMessage()
                            + "; check the coder of its window",
                    e);
        }
        return bytes.toByteArray();
    }

    @SuppressWarnings("unchecked")
    private Coder<BoundedWindow> windowCoder(int view) {
        return (Coder<BoundedWindow>) views.get(view)
                .view()
                .getWindowingStrategyInternal()
                .getWindowFn()
                .windowCoder();
    }
}
