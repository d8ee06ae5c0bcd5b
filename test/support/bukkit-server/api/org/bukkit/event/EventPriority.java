package org.bukkit.event;

/** Priorities in the sequence in which handlers are called. */
public enum EventPriority {
    LOWEST,
    LOW,
    NORMAL,
    HIGH,
    HIGHEST,
    MONITOR
}
