// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

final class KeyLayout {
    private KeyLayout() {}

    static String hex(byte[] bytes) {
        return java.util.HexFormat.of().formatHex(bytes, 0, Math.min(bytes.length, 32)) + (bytes.length > 32 ? "…" : "");
    }
}
