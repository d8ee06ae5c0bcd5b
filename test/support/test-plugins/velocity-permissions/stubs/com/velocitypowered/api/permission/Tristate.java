package com.velocitypowered.api.permission;

public enum Tristate {
    TRUE,
    FALSE,
    UNDEFINED
}
