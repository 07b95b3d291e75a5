// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.model;

import dev.disagg.runner.testing.Mode;
import java.util.Objects;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.schemas.JavaFieldSchema;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.annotations.DefaultSchema;
import org.apache.beam.sdk.schemas.annotations.SchemaCreate;
import org.apache.beam.sdk.schemas.logicaltypes.EnumerationType;
import org.apache.beam.sdk.schemas.logicaltypes.FixedBytes;
import org.apache.beam.sdk.schemas.logicaltypes.NanosInstant;
import org.apache.beam.sdk.schemas.logicaltypes.SqlTypes;
import org.apache.beam.sdk.schemas.transforms.Convert;
import org.apache.beam.sdk.schemas.transforms.Filter;
import org.apache.beam.sdk.schemas.transforms.Group;
import org.apache.beam.sdk.schemas.transforms.Join;
import org.apache.beam.sdk.schemas.transforms.Select;
import org.apache.beam.sdk.state.CombiningState;
import org.apache.beam.sdk.state.MapState;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Count;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.Sum;
import org.apache.beam.sdk.transforms.WithKeys;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Schemas: classes and rows as elements, keys and state, logical types among their fields. */
class SchemasTest {
    private static final EnumerationType COLOR = EnumerationType.create("RED", "GREEN", "BLUE");

    private static final Schema KEY = Schema.builder()
            .addLogicalTypeField("color", COLOR)
            .addLogicalTypeField("day", SqlTypes.DATE)
            .addLogicalTypeField("exact", new NanosInstant())
            .addLogicalTypeField("code", FixedBytes.of(3))
            .addNullableField("note", Schema.FieldType.STRING)
            .build();

    /** A purchase; made through its constructor. */
    @DefaultSchema(JavaFieldSchema.class)
    public static final class Purchase {
        public final String buyer;
        public final long cents;

        @SchemaCreate
        public Purchase(String buyer, long cents) {
            this.buyer = buyer;
            this.cents = cents;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Purchase p && p.buyer.equals(buyer) && p.cents == cents;
        }

        @Override
        public int hashCode() {
            return Objects.hash(buyer, cents);
        }
    }

    private static Row key(String color, int day, String note) {
        return Row.withSchema(KEY)
                .addValues(
                        COLOR.valueOf(color),
                        java.time.LocalDate.ofEpochDay(day),
                        java.time.Instant.ofEpochSecond(day, 123_456_789),
                        new byte[] {1, 2, (byte) day},
                        note)
                .build();
    }

    private static PCollection<Purchase> purchases(Pipeline pipeline) {
        return pipeline.apply(
                "Purchases",
                Create.of(
                        new Purchase("ann", 100),
                        new Purchase("bob", 20),
                        new Purchase("ann", 7),
                        new Purchase("eve", 1)));
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void rowsWithLogicalTypesAreKeys(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        PCollection<KV<Row, Long>> elements = pipeline.apply(Create.of(
                        KV.of(key("RED", 1, null), 1L),
                        KV.of(key("RED", 1, "x"), 2L),
                        KV.of(key("BLUE", 1, null), 3L),
                        KV.of(key("RED", 1, null), 4L),
                        KV.of(key("RED", 2, null), 5L))
                .withCoder(KvCoder.of(RowCoder.of(KEY), VarLongCoder.of())));
        PAssert.that(elements.apply(Sum.longsPerKey()))
                .containsInAnyOrder(
                        KV.of(key("RED", 1, null), 5L),
                        KV.of(key("RED", 1, "x"), 2L),
                        KV.of(key("BLUE", 1, null), 3L),
                        KV.of(key("RED", 2, null), 5L));
        PAssert.that(elements.apply(GroupByKey.create()).apply(Count.globally()))
                .containsInAnyOrder(4L);
        Mode.run(pipeline);
    }

    /** Rows in a value cell and as a map's values. */
    static final class RowsInState extends DoFn<KV<String, Row>, String> {
        private static final long serialVersionUID = 1L;

        @StateId("last")
        private final StateSpec<ValueState<Row>> lastSpec = StateSpecs.rowValue(KEY);

        @StateId("byDay")
        private final StateSpec<MapState<Row, Row>> mapSpec = StateSpecs.map(RowCoder.of(KEY), RowCoder.of(KEY));

        @StateId("count")
        private final StateSpec<CombiningState<Long, long[], Long>> countSpec = StateSpecs.combining(Sum.ofLongs());

        @ProcessElement
        public void process(
                @Element KV<String, Row> element,
                @StateId("last") ValueState<Row> last,
                @StateId("byDay") MapState<Row, Row> byDay,
                @StateId("count") CombiningState<Long, long[], Long> count,
                OutputReceiver<String> out) {
            Row before = last.read();
            Row row = element.getValue();
            last.write(row);
            byDay.put(row, row);
            count.add(1L);
            if (count.read() == 3) {
                out.output((before != null && before.getSchema().equals(KEY))
                        + " "
                        + row.equals(byDay.get(row).read())
                        + " "
                        + count.read());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void rowsAreKeptInState(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        PAssert.that(pipeline.apply(Create.of(key("RED", 1, null), key("GREEN", 2, "n"), key("BLUE", 3, null))
                                .withRowSchema(KEY))
                        .apply(WithKeys.<String, Row>of("key").withKeyType(TypeDescriptors.strings()))
                        .apply(ParDo.of(new RowsInState())))
                .containsInAnyOrder("true true 3");
        Mode.run(pipeline);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void classesBecomeRowsAndClassesAgain(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        PCollection<Row> rows = purchases(pipeline).apply("ToRows", Convert.toRows());
        PAssert.that(rows.apply("FromRows", Convert.fromRows(Purchase.class)))
                .containsInAnyOrder(
                        new Purchase("ann", 100),
                        new Purchase("bob", 20),
                        new Purchase("ann", 7),
                        new Purchase("eve", 1));
        PAssert.that(rows.apply(Select.fieldNames("buyer"))
                        .apply(MapElements.into(TypeDescriptors.strings()).via(row -> row.getString("buyer"))))
                .containsInAnyOrder("ann", "bob", "ann", "eve");
        Mode.run(pipeline);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void fieldsAreSelectedGroupedFilteredAndJoined(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        PCollection<Purchase> purchases = purchases(pipeline);
        PCollection<Row> sums = purchases.apply(
                "Sums", Group.<Purchase>byFieldNames("buyer").aggregateField("cents", Sum.ofLongs(), "total"));
        PAssert.that(sums.apply(MapElements.into(TypeDescriptors.strings())
                        .via(row -> row.getRow("key").getString("buyer") + "="
                                + row.getRow("value").getInt64("total"))))
                .containsInAnyOrder("ann=107", "bob=20", "eve=1");
        PCollection<Row> rich = purchases
                .apply(Filter.<Purchase>create().whereFieldName("cents", (Long cents) -> cents >= 20))
                .apply("Rich", Convert.toRows());
        PAssert.that(rich.apply(Join.<Row, Row>innerJoin(purchases.apply("All", Convert.toRows()))
                                .using("buyer"))
                        .apply(
                                "Pairs",
                                MapElements.into(TypeDescriptors.strings())
                                        .via(pair -> pair.getRow("lhs").getInt64("cents") + ":"
                                                + pair.getRow("rhs").getInt64("cents"))))
                .containsInAnyOrder("100:100", "100:7", "20:20");
        Mode.run(pipeline);
    }
}
