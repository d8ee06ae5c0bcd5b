package overworld.plugin.core.network;

import java.util.ArrayList;
import java.util.List;
import overworld.plugin.core.json.Fields;
import overworld.plugin.core.json.JsonException;
import overworld.plugin.core.link.Names;

/** Gives tests access to the plugin's choice of a fallback. */
public final class Choice {
    private Choice() {}

    /**
     * Chooses a fallback.
     *
     * @return ID of the chosen server, or null if there is none
     */
    public static String choose(Fields command) throws JsonException {
        List<Backend> backends = new ArrayList<>();
        for (Fields backend : command.objects("backends")) {
            backends.add(BackendFields.read(backend));
        }
        backends.sort((one, other) -> Names.BY_TEMPLATE_AND_NUMBER.compare(one.id(), other.id()));
        List<String> excluded = command.texts("excluded");
        List<String> permissions = command.texts("permissions");
        return Fallbacks.choose(backends, Backend::players, excluded::contains, permissions::contains)
                .map(Backend::id)
                .orElse(null);
    }
}
