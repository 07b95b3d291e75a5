// SPDX-License-Identifier: Apache-2.0
/**
 * Faults that other systems shipped, each as a test here, named by its number in the list of lessons. What one of these
 * classes does not have stands where its subject is, tagged with the lesson: {@code @Tag("lesson-23")} and so on.
 *
 * <table>
 * <caption>Beam's semantics, lessons 22 to 34</caption>
 * <tr><td>22</td><td>iterators over state do not change</td><td>Lesson22IteratorsDoNotChangeTest, StateSemanticsTest</td></tr>
 * <tr><td>23</td><td>a cleared timer does not fire</td><td>TimerSemanticsTest</td></tr>
 * <tr><td>24</td><td>order of timers; event timers under TestStream</td><td>TimerSemanticsTest</td></tr>
 * <tr><td>25</td><td>drain</td><td>Lesson25DrainTest</td></tr>
 * <tr><td>26</td><td>output at the end of a bundle is not late</td><td>BundleLifeTest</td></tr>
 * <tr><td>27</td><td>stable input</td><td>Lesson27StableInputTest, StableInputTest</td></tr>
 * <tr><td>28</td><td>rescaling and restores</td><td>Lesson28RescaleTest</td></tr>
 * <tr><td>29</td><td>bundles are finished; memory stays bounded</td><td>BundleLifeTest, Lesson29BoundedHeapTest</td></tr>
 * <tr><td>30</td><td>large bags and ordered lists</td><td>Lesson30LargeStateTest</td></tr>
 * <tr><td>31</td><td>timers set and cleared leave nothing</td><td>Lesson31ClearedTimersTest, TimerNamesTest</td></tr>
 * <tr><td>32</td><td>time-sorted input</td><td>Lesson32TimeSortedInputTest</td></tr>
 * <tr><td>33</td><td>batches between aggregations</td><td>Lesson33BatchesBetweenAggregationsTest</td></tr>
 * <tr><td>34</td><td>tagged output of a timer</td><td>TimerSemanticsTest</td></tr>
 * </table>
 */
@NullMarked
package dev.disagg.runner.lessons;

import org.jspecify.annotations.NullMarked;
