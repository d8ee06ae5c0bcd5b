package org.bukkit.command;

import org.bukkit.Server;

/** This class is empty, because the plugins in the tests have no commands. */
public class SimpleCommandMap {
    public SimpleCommandMap(Server server) {}
}
