package com.velocitypowered.api.event.permission;

import com.velocitypowered.api.permission.PermissionProvider;
import com.velocitypowered.api.permission.PermissionSubject;

public final class PermissionsSetupEvent {
    public native PermissionSubject getSubject();

    public native void setProvider(PermissionProvider provider);
}
