#!/bin/bash
echo "Hello from my-skill!"
