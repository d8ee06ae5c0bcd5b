package org.bukkit.event.player;

public class PlayerJoinEvent extends PlayerEvent {}
