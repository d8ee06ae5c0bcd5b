package overworld.plugin.core.network;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;

/** Compares the hosts of addresses. */
final class Hosts {
    private Hosts() {}

    /**
     * Returns whether two addresses have the same host. Looks up host names. All addresses of this machine, such as
     * {@code localhost}, are the same host.
     */
    static boolean areSame(InetSocketAddress one, InetSocketAddress other) {
        InetAddress host = lookUp(one);
        InetAddress otherHost = lookUp(other);
        return host != null
                && otherHost != null
                && (host.equals(otherHost) || (isThisMachine(host) && isThisMachine(otherHost)));
    }

    /** Returns null if the host is unknown. */
    private static InetAddress lookUp(InetSocketAddress address) {
        return address.isUnresolved()
                ? new InetSocketAddress(address.getHostString(), address.getPort()).getAddress()
                : address.getAddress();
    }

    private static boolean isThisMachine(InetAddress host) {
        try {
            return host.isLoopbackAddress()
                    || host.isAnyLocalAddress()
                    || NetworkInterface.getByInetAddress(host) != null;
        } catch (SocketException e) {
            return false;
        }
    }
}
