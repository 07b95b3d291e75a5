// SPDX-License-Identifier: Apache-2.0
/** Beam's KafkaIO against a broker in a process of its own. */
@NullMarked
package dev.disagg.integration.kafka;

import org.jspecify.annotations.NullMarked;
