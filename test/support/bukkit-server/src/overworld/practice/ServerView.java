package overworld.practice;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.bukkit.Server;
import org.bukkit.entity.Player;
import org.bukkit.plugin.PluginManager;

/**
 * The server as plugins see it. Implements the methods that the tests need. All other methods return empty values,
 * with each version of the API on the class path.
 */
final class ServerView {
    /** Methods that Bukkit allows on all threads. */
    private static final Set<String> FROM_ANYWHERE = Set.of("getName", "getVersion", "getBukkitVersion", "getLogger",
            "getScheduler", "getPluginManager", "isPrimaryThread", "getUnsafe", "processClass", "toString", "hashCode",
            "equals");

    private final PlayerList players;
    private final Thread serverThread = Thread.currentThread();
    private final TickScheduler scheduler;
    private final Server server = proxyOf(Server.class, this::answer);
    private PluginManager manager;
    private int maxPlayers;

    ServerView(PlayerList players, boolean isFolia) {
        this.players = players;
        this.maxPlayers = players.max();
        this.scheduler = new TickScheduler(isFolia);
    }

    Server server() {
        return server;
    }

    TickScheduler scheduler() {
        return scheduler;
    }

    void setPluginManager(PluginManager manager) {
        this.manager = manager;
    }

    /** Changes the maximum number of players, as another plugin would. */
    void setMaxPlayers(int count) {
        maxPlayers = count;
    }

    Player player(Profile profile) {
        return proxyOf(Player.class, (method, arguments) -> {
            requireServerThread(method);
            switch (method.getName()) {
                case "getUniqueId":
                    return profile.id;
                case "getName":
                case "toString":
                    return profile.name;
                default:
                    return emptyAnswer(method);
            }
        });
    }

    private Object answer(Method method, Object[] arguments) {
        requireServerThread(method);
        switch (method.getName()) {
            case "getName":
                return "CraftBukkit";
            case "getVersion":
                return "practice";
            case "getLogger":
                return Logger.getLogger("Server");
            case "getPluginManager":
                return manager;
            case "getScheduler":
                return scheduler.bukkit(method.getReturnType());
            case "getGlobalRegionScheduler":
                return scheduler.regions(method.getReturnType());
            case "getOnlinePlayers":
                return players.copy().stream().map(player -> player(player.profile())).collect(Collectors.toList());
            case "getMaxPlayers":
                return maxPlayers;
            case "isPrimaryThread":
                return Thread.currentThread() == serverThread;
            default:
                return emptyAnswer(method);
        }
    }

    private void requireServerThread(Method method) {
        if (Thread.currentThread() != serverThread && !FROM_ANYWHERE.contains(method.getName())) {
            String what = "Asynchronous " + method.getName() + " by " + Thread.currentThread().getName();
            Log.error(what);
            throw new IllegalStateException(what);
        }
    }

    interface Answers {
        Object answer(Method method, Object[] arguments);
    }

    /**
     * Creates an implementation of an interface that passes calls to {@code answers}. Two objects are equal only if
     * they are identical.
     */
    static <T> T proxyOf(Class<T> type, Answers answers) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            if (method.getName().equals("equals")) {
                return proxy == arguments[0];
            }
            return method.getName().equals("hashCode") ? System.identityHashCode(proxy) : answers.answer(method, arguments);
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** Returns an empty value for methods that Bukkit's own code calls while it loads a plugin. */
    private Object emptyAnswer(Method method) {
        Class<?> type = method.getReturnType();
        if (type == String.class) {
            return "";
        }
        if (type == boolean.class) {
            return false;
        }
        if (type.isPrimitive()) {
            return type == void.class ? null : 0;
        }
        if (type.isAssignableFrom(List.class)) {
            return List.of();
        }
        if (type == Map.class) {
            return Map.of();
        }
        return type.isInterface() ? proxyOf(type, (inner, arguments) -> {
            requireServerThread(inner);
            return inner.getName().equals("processClass") ? arguments[2] : emptyAnswer(inner);
        }) : null;
    }
}
