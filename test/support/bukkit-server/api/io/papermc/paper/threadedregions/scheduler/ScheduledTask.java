package io.papermc.paper.threadedregions.scheduler;

public interface ScheduledTask {}
