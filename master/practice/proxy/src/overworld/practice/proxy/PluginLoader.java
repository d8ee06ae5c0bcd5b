package overworld.practice.proxy;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;

/**
 * Loads Overworld's plugin from a jar, together with those classes of the proxy that use the plugin. Because this
 * class loader defines these classes, the rest of the proxy runs without the plugin.
 */
final class PluginLoader extends URLClassLoader {
    private static final String BESIDE = "overworld.practice.proxy.plugged.";

    private PluginLoader(URL jar) {
        super(new URL[] {jar}, PluginLoader.class.getClassLoader());
    }

    /**
     * Starts the plugin.
     *
     * @param jar {@code plugins/overworld.jar}
     * @throws IllegalStateException with the reason, if the plugin does not start
     */
    static Gate start(Path jar, ProxyControl control, String software) {
        try {
            // The class loader is never closed, because the plugin runs as long as the proxy.
            PluginLoader loader = new PluginLoader(jar.toUri().toURL());
            return (Gate) loader.loadClass(BESIDE + "PluggedGate")
                    .getConstructor(ProxyControl.class, Path.class, String.class)
                    .newInstance(control, Path.of("").toAbsolutePath(), software);
        } catch (InvocationTargetException e) {
            Throwable cause = e.getCause();
            throw new IllegalStateException(cause instanceof IllegalStateException ? cause.getMessage()
                    : "it failed: " + cause, cause);
        } catch (MalformedURLException | ReflectiveOperationException | LinkageError e) {
            throw new IllegalStateException("it is not a version that this proxy can use: " + e, e);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(BESIDE)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try (InputStream code = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (code == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = code.readAllBytes();
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
}
