package net.md_5.bungee.api.plugin;

import net.md_5.bungee.api.CommandSender;

public abstract class Command {
    public Command(String name) {}

    public Command(String name, String permission, String... aliases) {}

    public abstract void execute(CommandSender sender, String[] args);
}
