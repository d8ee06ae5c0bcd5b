package org.bukkit.command;

import org.bukkit.Server;

/** Empty, because no plugin of these tests has commands. */
public class SimpleCommandMap {
    public SimpleCommandMap(Server server) {}
}
