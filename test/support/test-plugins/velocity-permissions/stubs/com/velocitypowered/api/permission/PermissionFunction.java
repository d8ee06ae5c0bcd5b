package com.velocitypowered.api.permission;

public interface PermissionFunction {
    Tristate getPermissionValue(String permission);
}
