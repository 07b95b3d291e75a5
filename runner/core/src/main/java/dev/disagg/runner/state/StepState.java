// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.state;

import dev.disagg.state.cell.Cell;
import dev.disagg.state.cell.KeyEntry;
import dev.disagg.state.cell.Row;
import dev.disagg.state.cell.TaskState;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.beam.runners.core.StateInternals;
import org.apache.beam.runners.core.StateNamespace;
import org.apache.beam.runners.core.StateNamespaces;
import org.apache.beam.runners.core.StateTag;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.state.State;
import org.apache.beam.sdk.state.StateContext;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.jspecify.annotations.Nullable;

/**
 * State of one keyed step, for one chain: bound to a key while a computation of it runs. State objects that it hands out
 * are bound to their row when they are made. One owner.
 */
public final class StepState implements StateInternals {
    private static final int MAX_CODECS = 64;
    /** One in so many additions to a cell of which nothing is known reads it. */
    private static final int BLIND_ADDITIONS = 64;

    /** In front of a name; those of Beam begin with another letter. */
    private static final String PAGES = "pages of ";

    private static final String SORTED = "elements in order of time";

    private final String step;
    private final TaskState cells;
    private final Coder<BoundedWindow> windowCoder;
    final Reads reads;
    /** Few, as a step has few cells. */
    private final List<NamedCell> namedCells = new ArrayList<>();

    private final StringBuilder cellName = new StringBuilder(32);
    private final Map<Coder<?>, CoderCodec<?>> codecs = new IdentityHashMap<>();
    private final Touched touched = new Touched();
    private final Deque<Runnable> deferred = new ArrayDeque<>();
    private int blindAdditions;
    private int sortCell;
    private boolean settling;
    private @Nullable KeyEntry entry;
    private @Nullable Object key;
    private @Nullable BoundedWindow lastWindow;
    private byte[] lastWindowBytes = new byte[0];
    private @Nullable Row lastRow;

    @SuppressWarnings("unchecked")
    public StepState(String step, TaskState cells, Coder<? extends BoundedWindow> windowCoder, Reads reads) {
        this.step = step;
        this.cells = cells;
        this.windowCoder = (Coder<BoundedWindow>) windowCoder;
        this.reads = reads;
    }

    /** Turns to another key, or to none. */
    public void bind(@Nullable KeyEntry newEntry, @Nullable Object newKey) {
        entry = newEntry;
        key = newKey;
        lastRow = null;
    }

    /** At the end of a body: does what depends on a read and was asked for, but not awaited. */
    public void finishBody() {
        settle();
    }

    /** Does what was put off, in order; also before another operation on a collection, which may depend on it. */
    void settle() {
        if (settling) {
            // By what was put off: it reads, and those behind it have to wait.
            return;
        }
        settling = true;
        try {
            for (Runnable next = deferred.poll(); next != null; next = deferred.poll()) {
                next.run();
            }
        } finally {
            settling = false;
        }
    }

    void defer(Runnable read) {
        deferred.add(read);
    }

    @Override
    public @Nullable Object getKey() {
        return key;
    }

    /** The row of (current key, window). */
    public Row row(BoundedWindow window) {
        if (lastRow != null && window.equals(lastWindow)) {
            return lastRow;
        }
        lastWindowBytes = encodeWindow(window);
        lastWindow = window;
        lastRow = boundEntry().row(window.maxTimestamp().getMillis(), lastWindowBytes);
        return lastRow;
    }

    /** The encoded form of {@code window}; not to be modified. */
    byte[] windowBytes(BoundedWindow window) {
        return window.equals(lastWindow) ? lastWindowBytes : encodeWindow(window);
    }

    private byte[] encodeWindow(BoundedWindow window) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(16);
        try {
            windowCoder.encode(window, out, Coder.Context.OUTER);
        } catch (IOException e) {
            throw new UncheckedIOException("the window coder of " + step + " can not encode " + window, e);
        }
        return out.toByteArray();
    }

    Coder<BoundedWindow> windowCoder() {
        return windowCoder;
    }

    KeyEntry boundEntry() {
        KeyEntry bound = entry;
        if (bound == null) {
            throw new IllegalStateException(
                    "state of " + step + " is used outside of the processing of an element or timer");
        }
        return bound;
    }

    @Override
    public <T extends State> T state(StateNamespace namespace, StateTag<T> tag, StateContext<?> context) {
        reads.check();
        Row row;
        int trigger = -1;
        if (namespace instanceof StateNamespaces.WindowNamespace<?> inWindow) {
            row = row(inWindow.getWindow());
        } else if (namespace instanceof StateNamespaces.WindowAndTriggerNamespace<?> inTrigger) {
            row = row(inTrigger.getWindow());
            trigger = inTrigger.getTriggerIndex();
        } else if (namespace instanceof StateNamespaces.GlobalNamespace) {
            row = boundEntry().globalRow();
        } else {
            throw new IllegalArgumentException("unknown kind of state namespace: " + namespace);
        }
        return bindDeprecated(tag, new CellBinder(this, row, cellId(tag, trigger), context));
    }

    @SuppressWarnings("deprecation")
    private static <T extends State> T bindDeprecated(StateTag<T> tag, StateTag.StateBinder binder) {
        return tag.bind(binder);
    }

    /** Called at each access to state, so it makes no string of a name that it has seen. */
    private int cellId(StateTag<?> tag, int trigger) {
        StringBuilder name = cellName;
        name.setLength(0);
        appendName(tag, name);
        if (trigger >= 0) {
            name.append('@').append(trigger);
        }
        for (NamedCell named : namedCells) {
            if (named.name.contentEquals(name)) {
                return named.id;
            }
        }
        NamedCell named = new NamedCell(name.toString(), cells.cellId(step, name.toString()));
        namedCells.add(named);
        return named.id;
    }

    /** The name that makes the number of a cell in the key's row, or in a window's. */
    static String cellName(StateTag<?> tag) {
        StringBuilder name = new StringBuilder();
        appendName(tag, name);
        return name.toString();
    }

    private static void appendName(StateTag<?> tag, StringBuilder to) {
        try {
            tag.appendTo(to);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The cell for the pages of the bag in {@code cell}. */
    int pagesOf(int cell) {
        for (NamedCell named : namedCells) {
            if (named.id == cell) {
                int pages = named.pages;
                if (pages == 0) {
                    pages = cells.cellId(step, PAGES + named.name);
                    named.pages = pages;
                }
                return pages;
            }
        }
        throw new IllegalStateException("cell " + cell + " of " + step + " has no name");
    }

    /** Whether it is the turn of a blind addition to read what is there. */
    boolean isTurnToRead() {
        return ++blindAdditions % BLIND_ADDITIONS == 0;
    }

    private static final class NamedCell {
        final String name;
        final int id;
        /** Of a bag: the cell of its pages; 0 while it has not been asked for. */
        int pages;

        NamedCell(String name, int id) {
            this.name = name;
            this.id = id;
        }
    }

    /** What waits for its turn in time, of the current key. */
    public <T> SortBuffer<T> sortBuffer(BoundedWindow window, Coder<T> coder) {
        reads.check();
        if (sortCell == 0) {
            sortCell = cells.cellId(step, SORTED);
        }
        return new SortBuffer<>(cells, new Collected(this, row(window).collection(sortCell)), codec(coder));
    }

    /** The codec over {@code coder}; the same one for the same coder while they are few. */
    @SuppressWarnings("unchecked")
    <T> CoderCodec<T> codec(Coder<T> coder) {
        CoderCodec<?> codec = codecs.get(coder);
        if (codec == null) {
            if (codecs.size() >= MAX_CODECS) {
                codecs.clear();
            }
            codec = CoderCodec.of(coder);
            codecs.put(coder, codec);
        }
        return (CoderCodec<T>) codec;
    }

    /** Before a read: waits until {@code cell} is in memory. */
    void ensure(Cell cell) {
        reads.beforeRead();
        bring(cell);
    }

    /** As {@link #ensure}, in the middle of a read. */
    void bring(Cell cell) {
        touched.add(cell);
        while (!cell.resident()) {
            touched.miss();
            reads.await(cell.fetch());
        }
    }

    /** Starts a read of {@code cell} unless it is in memory. */
    void readLater(Cell cell) {
        touched.add(cell);
        if (!cell.resident()) {
            cell.fetch();
        }
    }

    /** What was read since it was cleared. */
    public Touched touched() {
        return touched;
    }
}
