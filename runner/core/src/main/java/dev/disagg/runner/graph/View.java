// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.graph;

import org.apache.beam.sdk.values.PCollectionView;

/**
 * A side input of a stage.
 *
 * @param id stable over runs of the same pipeline: the full name of the transform that materializes it
 * @param view Beam's handle
 */
public record View(String id, PCollectionView<?> view) {}
