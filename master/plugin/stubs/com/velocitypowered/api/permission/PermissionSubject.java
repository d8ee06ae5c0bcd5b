package com.velocitypowered.api.permission;

public interface PermissionSubject {
    default boolean hasPermission(String permission) {
        throw new UnsupportedOperationException();
    }
}
