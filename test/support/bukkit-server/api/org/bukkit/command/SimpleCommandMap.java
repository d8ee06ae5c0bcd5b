package org.bukkit.command;

import org.bukkit.Server;

/** No plugin of these tests has commands. */
public class SimpleCommandMap {
    public SimpleCommandMap(Server server) {}
}
