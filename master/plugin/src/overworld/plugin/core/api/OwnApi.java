package overworld.plugin.core.api;

import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import overworld.api.Overworld;
import overworld.api.Service;
import overworld.plugin.core.network.Backend;
import overworld.plugin.core.network.Network;
import overworld.plugin.core.network.Numbers;

/** Overworld's API for other plugins in this process. */
public final class OwnApi implements Overworld {
    private final String ownService;
    private final Network network;
    private final Numbers numbers;
    private final InUse inUse;

    public OwnApi(String ownService, Network network, Numbers numbers, InUse inUse) {
        this.ownService = ownService;
        this.network = network;
        this.numbers = numbers;
        this.inUse = inUse;
    }

    @Override
    public String ownService() {
        return ownService;
    }

    @Override
    public Collection<Service> services() {
        List<Service> services =
                network.all().stream().map(this::describe).collect(Collectors.toUnmodifiableList());
        return services;
    }

    @Override
    public int online() {
        return numbers.known() ? numbers.online() : 0;
    }

    @Override
    public int limit() {
        return numbers.limit();
    }

    @Override
    public void setInUse(boolean now, String why) {
        inUse.set(now, why);
    }

    private Service describe(Backend backend) {
        return new KnownService(backend, network.crowd(backend));
    }
}
