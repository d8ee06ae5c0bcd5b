package org.bukkit.plugin;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import overworld.practice.SimpleYaml;
import overworld.practice.StartException;

/** Content of a {@code plugin.yml}, validated by Bukkit's rules. */
public final class PluginDescriptionFile {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9 _.-]+");
    private static final Pattern API_VERSION = Pattern.compile("1\\.(\\d+)(\\.\\d+)?");
    /** Oldest API version that supports the field {@code api-version}. */
    private static final int OLDEST_API = 13;

    private final String name;
    private final String version;
    private final String main;
    private final PluginLoadOrder load;
    private final Map<String, Object> commands;

    public PluginDescriptionFile(InputStream stream) throws InvalidDescriptionException {
        Map<String, Object> fields;
        try {
            fields = SimpleYaml.parse("plugin.yml", new String(stream.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException | StartException e) {
            throw new InvalidDescriptionException(e, "plugin.yml cannot be read");
        }
        name = required(fields, "name").replace(' ', '_');
        if (!NAME.matcher(name).matches()) {
            throw new InvalidDescriptionException("name '" + name + "' contains invalid characters.");
        }
        version = required(fields, "version");
        main = required(fields, "main");
        if (main.startsWith("org.bukkit.")) {
            throw new InvalidDescriptionException("main may not be within the org.bukkit namespace");
        }
        load = loadOrder(fields.getOrDefault("load", "POSTWORLD").toString());
        commands = SimpleYaml.mapOf(fields.get("commands"));
        var api = API_VERSION.matcher(required(fields, "api-version"));
        if (!api.matches() || Integer.parseInt(api.group(1)) < OLDEST_API) {
            throw new InvalidDescriptionException("api-version is not one that a server knows");
        }
    }

    private static String required(Map<String, Object> fields, String field) throws InvalidDescriptionException {
        Object value = fields.get(field);
        if (value == null || value.toString().isEmpty()) {
            throw new InvalidDescriptionException(field + " is not defined");
        }
        return value.toString();
    }

    private static PluginLoadOrder loadOrder(String text) throws InvalidDescriptionException {
        try {
            return PluginLoadOrder.valueOf(text.toUpperCase(Locale.ENGLISH));
        } catch (IllegalArgumentException e) {
            throw new InvalidDescriptionException(e, "load is not a valid choice");
        }
    }

    public String getName() {
        return name;
    }

    public String getVersion() {
        return version;
    }

    public String getFullName() {
        return name + " v" + version;
    }

    public String getMain() {
        return main;
    }

    public PluginLoadOrder getLoad() {
        return load;
    }

    public Map<String, Object> getCommands() {
        return commands;
    }
}
