package org.bukkit.event;

/** Priorities, in the order in which their handlers are called. */
public enum EventPriority {
    LOWEST,
    LOW,
    NORMAL,
    HIGH,
    HIGHEST,
    MONITOR
}
