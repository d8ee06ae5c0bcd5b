package com.velocitypowered.api.event.proxy;

public class ProxyReloadEvent {}
