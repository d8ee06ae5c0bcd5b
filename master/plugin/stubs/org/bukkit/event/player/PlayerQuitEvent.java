package org.bukkit.event.player;

public class PlayerQuitEvent extends PlayerEvent {}
