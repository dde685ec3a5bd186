#!/bin/sh
echo boiling
