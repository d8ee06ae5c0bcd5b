package com.velocitypowered.api.event;

import java.util.Optional;
import net.kyori.adventure.text.Component;

public interface ResultedEvent<R extends ResultedEvent.Result> {
    R getResult();

    void setResult(R result);

    interface Result {
        boolean isAllowed();
    }

    final class ComponentResult implements Result {
        public static native ComponentResult allowed();

        public static native ComponentResult denied(Component reason);

        @Override
        public native boolean isAllowed();

        public native Optional<Component> getReasonComponent();
    }
}
