package com.velocitypowered.api.permission;

public interface PermissionProvider {
    PermissionFunction createFunction(PermissionSubject subject);
}
