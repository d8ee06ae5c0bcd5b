package net.md_5.bungee.api.config;

import java.util.Collection;

public interface ConfigurationAdapter {
    Collection<?> getGroups(String player);

    Collection<?> getPermissions(String group);
}
