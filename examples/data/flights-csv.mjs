// SPDX-License-Identifier: Apache-2.0
// Prints flights-3m.parquet of npm vega-datasets as CSV: minutes since 1970-01-01 00:00, delay, distance, origin, destination.
// Usage: npm install hyparquet@1 hyparquet-compressors@1 vega-datasets@3.2.1
//        node flights-csv.mjs node_modules/vega-datasets/data/flights-3m.parquet > flights-3m.csv
import { once } from 'node:events'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'

const file = await asyncBufferFromFile(process.argv[2])
const metadata = await parquetMetadataAsync(file)
let rowStart = 0
for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows)
    const rows = await parquetReadObjects({ file, metadata, compressors, rowStart, rowEnd })
    const lines = rows.map((row) => {
        const minute = row.date.getTime() / 60000
        if (!Number.isInteger(minute)) throw new Error(`not a whole minute: ${row.date.toISOString()}`)
        return `${minute},${row.delay},${row.distance},${row.origin},${row.destination}\n`
    })
    if (!process.stdout.write(lines.join(''))) await once(process.stdout, 'drain')
    rowStart = rowEnd
}
